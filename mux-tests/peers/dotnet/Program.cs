// A peer of the contract in ../CONTRACT.md, on the public packages Nerdbank.Streams and StreamJsonRpc.
using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics;
using System.Globalization;
using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Nerdbank.Streams;
using StreamJsonRpc;

namespace MuxPeer;

internal static class Program
{
    private static async Task<int> Main(string[] args)
    {
        try
        {
            if (args.Length == 0 || args[0] is not ("serve" or "bench"))
            {
                throw new UsageException("usage: dotnet-peer serve|bench [--name value]...");
            }

            var flags = Flags.Parse(args[0], args[1..]);
            return args[0] == "serve" ? await Server.RunAsync(flags) : await Bench.RunAsync(flags);
        }
        catch (UsageException ex)
        {
            Console.Error.WriteLine("peer: " + ex.Message);
            return 2;
        }
        catch (SocketException ex)
        {
            Console.Error.WriteLine("peer: " + ex.Message);
            return 1;
        }
    }
}

internal sealed class UsageException(string message) : Exception(message);

internal sealed class Flags
{
    private static readonly string[] Common = ["port", "version", "window", "max-window", "max-total-growth"];
    private static readonly string[] Serve = [.. Common, "seeded", "stdio"];
    private static readonly string[] Bench = [.. Common, "host", "scenario", "bytes", "chunk", "channels", "message", "rounds", "warmup", "iterations"];
    private static readonly string[] Texts = ["host", "scenario", "stdio"];
    private static readonly string[] Scenarios = ["bulk", "contended", "duplex", "lifetime", "mixed", "rpc"];

    private readonly Dictionary<string, string> values = new();

    public static Flags Parse(string verb, string[] args)
    {
        var flags = new Flags();
        string[] known = verb == "serve" ? Serve : Bench;
        for (int i = 0; i < args.Length; i++)
        {
            string name = args[i].StartsWith("--", StringComparison.Ordinal) ? args[i][2..] : throw new UsageException($"'{args[i]}' is no option");
            if (!known.Contains(name))
            {
                throw new UsageException($"{verb} has no option --{name}");
            }

            string value = name == "stdio" ? "true" : i + 1 < args.Length ? args[++i] : throw new UsageException($"--{name} needs a value");
            if (!Texts.Contains(name) && !(long.TryParse(value, CultureInfo.InvariantCulture, out long number) && number >= 0))
            {
                throw new UsageException($"--{name} needs a number, not '{value}'");
            }

            flags.values[name] = value;
        }

        if (flags.Number("version", 3) is < 1 or > 3)
        {
            throw new UsageException("version 1, 2 or 3");
        }

        if (flags.Has("seeded") && flags.Number("version", 3) < 3)
        {
            throw new UsageException("seeded channels need version 3");
        }

        if (verb == "bench" && !(flags.Has("port") && Scenarios.Contains(flags.Text("scenario", string.Empty))))
        {
            throw new UsageException("bench needs --port and --scenario " + string.Join('|', Scenarios));
        }

        return flags;
    }

    public bool Has(string name) => this.values.ContainsKey(name);

    public string Text(string name, string fallback) => this.values.GetValueOrDefault(name, fallback);

    public long Number(string name, long fallback) =>
        this.values.TryGetValue(name, out string? text) ? long.Parse(text, CultureInfo.InvariantCulture) : fallback;

    public MultiplexingStream.Options MuxOptions()
    {
        var options = new MultiplexingStream.Options { ProtocolMajorVersion = (int)this.Number("version", 3) };
        if (this.Has("window"))
        {
            options.DefaultChannelReceivingWindowSize = this.Number("window", 0);
        }

        Set(options, "MaxChannelReceivingWindowSize", "max-window");
        Set(options, "MaxTotalChannelReceivingWindowSize", "max-total-growth");
        for (long i = 0; i < this.Number("seeded", 0); i++)
        {
            options.SeededChannels.Add(new MultiplexingStream.ChannelOptions());
        }

        return options;

        // By reflection, since a release of the package may not have them.
        void Set(MultiplexingStream.Options o, string property, string flag)
        {
            if (this.Has(flag))
            {
                var p = typeof(MultiplexingStream.Options).GetProperty(property)
                    ?? throw new NotSupportedException($"this Nerdbank.Streams has no {property}");
                p.SetValue(o, this.Number(flag, 0));
            }
        }
    }
}

internal static class Server
{
    public static async Task<int> RunAsync(Flags flags)
    {
        if (flags.Has("stdio"))
        {
            await ServeAsync(FullDuplexStream.Splice(Console.OpenStandardInput(), Console.OpenStandardOutput()), flags);
            return 0;
        }

        var listener = new TcpListener(IPAddress.Loopback, (int)flags.Number("port", 0));
        listener.Start();
        Console.Out.WriteLine($"LISTENING {((IPEndPoint)listener.LocalEndpoint).Port}");
        Console.Out.Flush();
        while (true)
        {
            TcpClient client = await listener.AcceptTcpClientAsync();
            client.NoDelay = true;
            _ = Task.Run(() => ServeAsync(client.GetStream(), flags));
        }
    }

    private static async Task ServeAsync(Stream transport, Flags flags)
    {
        try
        {
            MultiplexingStream.Options options = flags.MuxOptions();
            options.StartSuspended = true;
            MultiplexingStream mux = await MultiplexingStream.CreateAsync(transport, options);
            mux.ChannelOffered += (_, offer) =>
            {
                if (!offer.IsAccepted)
                {
                    OnOffer(mux, offer);
                }
            };
            mux.StartListening();
            for (int i = 0; i < options.SeededChannels.Count; i++)
            {
                _ = Guard(EchoAsync(mux.AcceptChannel((ulong)i)));
            }

            await mux.Completion;
        }
        catch (Exception ex)
        {
            Console.Error.WriteLine($"connection ended: {ex.GetType().Name}: {ex.Message}");
        }
        finally
        {
            transport.Dispose();
        }
    }

    private static readonly Dictionary<string, Func<MultiplexingStream, MultiplexingStream.Channel, string, Task>> Behaviours = new()
    {
        ["sink"] = (_, c, _) => SinkAsync(c, 0),
        ["echo"] = (_, c, _) => EchoAsync(c),
        ["source:"] = (_, c, n) => SourceAsync(c, Number(n)),
        ["slow-sink:"] = (_, c, n) => SinkAsync(c, Number(n)),
        ["hold"] = (_, c, _) => c.Completion,
        ["fail:"] = (_, c, text) => FailAsync(c, text),
        ["anon"] = (mux, c, _) => AnonAsync(mux, c),
        ["offerback:"] = OfferBackAsync,
        ["rpc"] = (mux, c, _) => RpcService.RunAsync(mux, c),
    };

    private static long Number(string text) => long.Parse(text, CultureInfo.InvariantCulture);

    private static async Task Guard(Task task)
    {
        try
        {
            await task;
        }
        catch (Exception ex)
        {
            Console.Error.WriteLine($"channel ended: {ex.GetType().Name}: {ex.Message}");
        }
    }

    private static void OnOffer(MultiplexingStream mux, MultiplexingStream.ChannelOfferEventArgs offer)
    {
        string name = offer.Name;
        ulong id = offer.QualifiedId.Id;
        if (name.Length == 0)
        {
            return; // anonymous: accepted by id when an anon channel names it
        }

        string? key = Behaviours.Keys.FirstOrDefault(k => name.StartsWith(k, StringComparison.Ordinal));
        string rest = key is null ? string.Empty : name[key.Length..];
        bool wantsNumber = key is "source:" or "slow-sink:";
        if (key is null || (wantsNumber && !(long.TryParse(rest, CultureInfo.InvariantCulture, out long n) && n >= (key == "source:" ? 0 : 1))))
        {
            mux.RejectChannel(id); // "reject…" too
            return;
        }

        MultiplexingStream.Channel channel = mux.AcceptChannel(id);
        _ = Guard(Task.Run(async () =>
        {
            try
            {
                await Behaviours[key](mux, channel, rest);
            }
            catch (Exception ex)
            {
                await channel.Output.CompleteAsync(ex);
                throw;
            }
        }));
    }

    private static async Task SinkAsync(MultiplexingStream.Channel channel, long bytesPerSecond)
    {
        long total = 0;
        while (true)
        {
            ReadResult read = await channel.Input.ReadAsync();
            ReadOnlySequence<byte> take = read.Buffer;
            if (bytesPerSecond > 0)
            {
                take = take.Slice(0, Math.Min(take.Length, Math.Max(1, bytesPerSecond / 20)));
            }

            total += take.Length;
            bool end = read.IsCompleted && take.Length == read.Buffer.Length;
            channel.Input.AdvanceTo(take.End);
            if (end)
            {
                break;
            }

            if (bytesPerSecond > 0)
            {
                await Task.Delay(50);
            }
        }

        Span<byte> count = channel.Output.GetSpan(8);
        BinaryPrimitives.WriteInt64BigEndian(count, total);
        channel.Output.Advance(8);
        await channel.Output.FlushAsync();
        await channel.Output.CompleteAsync();
    }

    private static async Task EchoAsync(MultiplexingStream.Channel channel)
    {
        while (true)
        {
            ReadResult read = await channel.Input.ReadAsync();
            foreach (ReadOnlyMemory<byte> segment in read.Buffer)
            {
                segment.Span.CopyTo(channel.Output.GetSpan(segment.Length));
                channel.Output.Advance(segment.Length);
            }

            channel.Input.AdvanceTo(read.Buffer.End);
            await channel.Output.FlushAsync();
            if (read.IsCompleted)
            {
                break;
            }
        }

        await channel.Output.CompleteAsync();
        await channel.Input.CompleteAsync();
    }

    private static async Task SourceAsync(MultiplexingStream.Channel channel, long bytes)
    {
        byte[] pattern = new byte[251 * 256];
        for (int i = 0; i < pattern.Length; i++)
        {
            pattern[i] = (byte)(i % 251);
        }

        for (long sent = 0; sent < bytes;)
        {
            int n = (int)Math.Min(pattern.Length, bytes - sent);
            FlushResult flush = await channel.Output.WriteAsync(pattern.AsMemory(0, n));
            if (flush.IsCompleted)
            {
                break;
            }

            sent += n;
        }

        await channel.Output.CompleteAsync();
        await channel.Input.CompleteAsync();
    }

    private static async Task FailAsync(MultiplexingStream.Channel channel, string message) =>
        await channel.Output.CompleteAsync(new InvalidOperationException(message));

    private static async Task AnonAsync(MultiplexingStream mux, MultiplexingStream.Channel channel)
    {
        using var reader = new StreamReader(channel.Input.AsStream(leaveOpen: true));
        string line = await reader.ReadLineAsync() ?? throw new EndOfStreamException();
        MultiplexingStream.Channel anonymous = mux.AcceptChannel(ulong.Parse(line, CultureInfo.InvariantCulture));
        _ = Guard(EchoAsync(anonymous));
        await channel.Output.WriteAsync("ok\n"u8.ToArray());
        await channel.Output.CompleteAsync();
    }

    private static async Task OfferBackAsync(MultiplexingStream mux, MultiplexingStream.Channel channel, string name)
    {
        Task echo = EchoAsync(channel);
        await Guard(Task.Run(async () => await EchoAsync(await mux.OfferChannelAsync(name)))); // a rejection harms nothing
        await echo;
    }
}

internal sealed class RpcService
{
    private JsonRpc? rpc;

    public static async Task RunAsync(MultiplexingStream mux, MultiplexingStream.Channel channel)
    {
        var service = new RpcService();
        var formatter = new JsonMessageFormatter(new UTF8Encoding(false)) { MultiplexingStream = mux };
        var rpc = new JsonRpc(new HeaderDelimitedMessageHandler(channel, formatter));
        service.rpc = rpc;
        rpc.AddLocalRpcTarget(service, new JsonRpcTargetOptions { MethodNameTransform = CommonMethodNameTransforms.CamelCase });
        rpc.StartListening();
        await rpc.Completion;
    }

    public string Echo(string text) => text;

    public int Add(int a, int b) => a + b;

    public void Fail(string message) => throw new InvalidOperationException(message);

    public async Task<bool> Delay(int ms, CancellationToken cancellationToken)
    {
        await Task.Delay(ms, cancellationToken);
        return true;
    }

    public async Task NotifyBack(string text) => await this.rpc!.NotifyAsync("notified", text);

    public async Task<int> CallBack(int n) => await this.rpc!.InvokeAsync<int>("twice", n);

    // A stream that is returned, or passed, goes out of band: an anonymous channel, whose id stands in the JSON.
    public Stream Download(int bytes)
    {
        (Stream ours, Stream theirs) = FullDuplexStream.CreatePair();
        _ = Task.Run(async () =>
        {
            byte[] buffer = new byte[16384];
            for (int sent = 0; sent < bytes;)
            {
                int n = Math.Min(buffer.Length, bytes - sent);
                for (int i = 0; i < n; i++)
                {
                    buffer[i] = (byte)((sent + i) % 251);
                }

                await ours.WriteAsync(buffer.AsMemory(0, n));
                sent += n;
            }

            ours.Dispose();
        });
        return theirs;
    }

    public async Task<long> Upload(Stream stream)
    {
        long total = 0;
        byte[] buffer = new byte[16384];
        int n;
        while ((n = await stream.ReadAsync(buffer)) > 0)
        {
            total += n;
        }

        stream.Dispose();
        return total;
    }
}

internal static class Bench
{
    public static async Task<int> RunAsync(Flags flags)
    {
        string scenario = flags.Text("scenario", string.Empty);
        var client = new TcpClient { NoDelay = true };
        await client.ConnectAsync(IPAddress.Parse(flags.Text("host", "127.0.0.1")), (int)flags.Number("port", 0));
        MultiplexingStream mux = await MultiplexingStream.CreateAsync(client.GetStream(), flags.MuxOptions());
        long bytes = flags.Number("bytes", 32 << 20);
        int chunk = (int)flags.Number("chunk", 65536);
        int channels = (int)flags.Number("channels", scenario == "lifetime" ? 500 : 8);
        int message = (int)flags.Number("message", 128);
        int rounds = (int)flags.Number("rounds", 2000);
        var trips = new List<double>();
        MultiplexingStream.Channel? echo = scenario is "duplex" or "mixed" ? await mux.OfferChannelAsync("echo") : null;
        JsonRpc? rpc = null;
        if (scenario == "rpc")
        {
            MultiplexingStream.Channel channel = await mux.OfferChannelAsync("rpc");
            rpc = new JsonRpc(new HeaderDelimitedMessageHandler(channel, new JsonMessageFormatter(new UTF8Encoding(false))));
            rpc.StartListening();
        }

        int warmup = (int)flags.Number("warmup", 3);
        int iterations = (int)flags.Number("iterations", 10);
        var ms = new List<double>();
        for (int i = 0; i < warmup + iterations; i++)
        {
            if (i == warmup)
            {
                trips.Clear();
            }

            long start = Stopwatch.GetTimestamp();
            switch (scenario)
            {
                case "bulk":
                    await SendAsync(mux, "sink" + i, bytes, chunk);
                    break;
                case "contended":
                    await Task.WhenAll(Enumerable.Range(0, channels).Select(k => Task.Run(() => SendAsync(mux, $"sink{i}-{k}", bytes / channels, chunk))));
                    break;
                case "duplex":
                    for (int r = 0; r < rounds; r++)
                    {
                        await RoundTripAsync(echo!, message, trips);
                    }

                    break;
                case "mixed":
                    Task bulk = Task.Run(() => SendAsync(mux, "sink" + i, bytes, chunk));
                    while (!bulk.IsCompleted)
                    {
                        await RoundTripAsync(echo!, message, trips);
                    }

                    await bulk;
                    break;
                case "lifetime":
                    var open = new List<MultiplexingStream.Channel>();
                    for (int k = 0; k < channels; k++)
                    {
                        open.Add(await mux.OfferChannelAsync($"echo{i}-{k}"));
                    }

                    open.ForEach(c => c.Dispose());
                    break;
                case "rpc":
                    string text = new('x', message);
                    for (int r = 0; r < rounds; r++)
                    {
                        long t = Stopwatch.GetTimestamp();
                        await rpc!.InvokeAsync<string>("echo", text);
                        trips.Add(Stopwatch.GetElapsedTime(t).TotalMicroseconds);
                    }

                    break;
                default:
                    Console.Error.WriteLine($"unknown scenario '{scenario}'");
                    return 2;
            }

            if (i >= warmup)
            {
                ms.Add(Stopwatch.GetElapsedTime(start).TotalMilliseconds);
            }
        }

        trips.Sort();
        string Percentile(double p) => trips.Count == 0 ? "null" : trips[(int)Math.Min(trips.Count - 1, trips.Count * p)].ToString("F1", CultureInfo.InvariantCulture);
        Console.WriteLine(
            $"{{\"peer\": \"dotnet\", \"scenario\": \"{scenario}\", \"version\": {flags.Number("version", 3)}, " +
            $"\"ms\": [{string.Join(", ", ms.Select(x => x.ToString("F2", CultureInfo.InvariantCulture)))}], \"bytes\": {bytes}, \"rounds\": {rounds}, " +
            $"\"p50us\": {Percentile(0.5)}, \"p99us\": {Percentile(0.99)}}}");
        return 0;
    }

    private static async Task SendAsync(MultiplexingStream mux, string name, long bytes, int chunk)
    {
        MultiplexingStream.Channel channel = await mux.OfferChannelAsync(name);
        byte[] source = new byte[chunk];
        for (long sent = 0; sent < bytes;)
        {
            int n = (int)Math.Min(chunk, bytes - sent);
            source.AsSpan(0, n).CopyTo(channel.Output.GetSpan(n));
            channel.Output.Advance(n);
            await channel.Output.FlushAsync();
            sent += n;
        }

        await channel.Output.CompleteAsync();
        byte[] count = new byte[8];
        await channel.Input.AsStream(leaveOpen: true).ReadExactlyAsync(count);
        if (BinaryPrimitives.ReadInt64BigEndian(count) != bytes)
        {
            throw new InvalidDataException($"sent {bytes}, the peer counted {BinaryPrimitives.ReadInt64BigEndian(count)}");
        }

        await channel.Input.CompleteAsync();
    }

    private static async Task RoundTripAsync(MultiplexingStream.Channel echo, int size, List<double> trips)
    {
        long start = Stopwatch.GetTimestamp();
        echo.Output.GetSpan(size)[..size].Clear();
        echo.Output.Advance(size);
        await echo.Output.FlushAsync();
        for (int got = 0; got < size;)
        {
            ReadResult read = await echo.Input.ReadAsync();
            got += (int)read.Buffer.Length;
            echo.Input.AdvanceTo(read.Buffer.End);
            if (read.IsCompleted && got < size)
            {
                throw new EndOfStreamException();
            }
        }

        trips.Add(Stopwatch.GetElapsedTime(start).TotalMicroseconds);
    }
}
