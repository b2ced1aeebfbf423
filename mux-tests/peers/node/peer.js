'use strict';
// The peer contract (../CONTRACT.md) over the public packages nerdbank-streams and vscode-jsonrpc.

const net = require('net');
const { Duplex } = require('stream');
const { MultiplexingStream } = require('nerdbank-streams');
const rpc = require('vscode-jsonrpc/node');

const NAME = 'node';
const VERSIONS = [1, 2, 3];
const REQUEST_CANCELLED = -32800;
const SERVER_ERROR = -32000;

const log = (text) => process.stderr.write(`peer: ${text}\n`);
const ignore = () => {};
const turn = () => new Promise((resolve) => setImmediate(resolve));
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// ---------------------------------------------------------------------------------------------------------------------
// Connections

/**
 * Opens a multiplexing stream over a transport, and makes good what the library leaves to chance when a connection
 * breaks: it learns neither of a transport that closes without an end nor of bytes that are no MessagePack, and after a
 * protocol error it stops reading without closing anything.
 * Resolves to `{ mxs, seeded, finished }`, where `finished` resolves, to the error or to null, when all is over.
 */
async function openConnection(transport, { version, window, seeded = 0, onOffered }) {
  let mxs = null;
  let fault = null;
  const closed = new Promise((resolve) => transport.once('close', resolve));
  transport.on('error', (error) => { fault ??= error; });

  // Versions 2 and 3: the library pipes the transport into a decoder, to whose errors it does not listen.
  const pipe = transport.pipe;
  let decoder = null;
  transport.pipe = function pipeSupervised(destination, ...rest) {
    decoder = destination;
    destination.on('error', (error) => { fault ??= error; transport.destroy(); });
    return pipe.call(this, destination, ...rest);
  };

  // The listener has to be there before the library has handled the first frame, which may have come with the handshake:
  // hence no further step, such as a race, before it.
  const created = MultiplexingStream.CreateAsync(transport, {
    protocolMajorVersion: version,
    defaultChannelReceivingWindowSize: window,
    seededChannels: seeded > 0 ? Array.from({ length: seeded }, () => ({})) : undefined,
  }).then((m) => {
    mxs = m;
    mxs.completion.catch(ignore);
    if (onOffered) mxs.on('channelOffered', (args) => onOffered(mxs, args));
    return m;
  });
  const lost = closed.then(() => { throw fault ?? new Error('the connection was closed during the handshake'); });
  try {
    await Promise.race([created, lost]);
  } catch (error) {
    transport.destroy();
    throw error;
  }
  lost.catch(ignore);

  const ports = [];
  for (let i = 0; i < seeded; i++) ports.push(new Port(mxs.acceptChannel(i)));

  closed.then(async () => {
    // What has been decoded before the close is still to be delivered.
    if (decoder && !decoder.destroyed) decoder.end();
    else { await turn(); mxs.dispose(); }
  });
  const finished = mxs.completion.then(() => fault, (error) => fault ?? error).then(async (error) => {
    mxs.dispose();
    for (const port of ports) port.channel.dispose(); // dispose() forgets the seeded ones
    if (error) {
      transport.destroy();
    } else {
      // What the other side still sends goes to nobody, and its end has to be seen all the same.
      await turn();
      transport.unpipe();
      transport.resume();
    }
    await closed;
    return error;
  });
  return { mxs, seeded: ports, finished };
}

/** Standard input and output as one stream. */
function stdioTransport() {
  const { stdin, stdout } = process;
  const transport = new Duplex({
    read() { stdin.resume(); },
    write(chunk, encoding, callback) { stdout.write(chunk, callback); },
    final(callback) { stdout.write('', () => callback()); },
  });
  stdin.on('data', (chunk) => { if (!transport.push(chunk)) stdin.pause(); });
  stdin.on('end', () => transport.push(null));
  stdin.on('error', (error) => transport.destroy(error));
  stdout.on('error', (error) => transport.destroy(error));
  stdin.pause();
  return transport;
}

// ---------------------------------------------------------------------------------------------------------------------
// Channels

/** Reads and writes of a channel, none of which outlasts it. */
class Port {
  constructor(channel) {
    this.channel = channel;
    this.stream = channel.stream;
    this.ended = false; // nothing more to read
    this.terminated = false; // nothing more can be written
    this.wakeReader = null;
    this.wakeWriter = null;
    this.reading = false;
    const over = () => { this.terminated = true; this.ended = true; this.wake(); };
    this.stream.on('error', over);
    this.stream.on('close', over);
    this.stream.on('end', () => { this.ended = true; this.wake(); });
    this.stream.on('drain', () => this.wake());
    // A write that waits for the window is never called back when the channel is terminated.
    const terminated = () => { this.terminated = true; this.wake(); };
    channel.completion.then(terminated, terminated);
    channel.acceptance.catch(ignore);
  }

  wake() {
    const { wakeReader, wakeWriter } = this;
    this.wakeReader = this.wakeWriter = null;
    if (wakeReader) wakeReader();
    if (wakeWriter) wakeWriter();
  }

  /** The next bytes, at most `max` of them; null at the end. */
  async read(max = Infinity) {
    if (!this.reading) {
      this.reading = true;
      this.stream.on('readable', () => this.wake());
    }
    for (;;) {
      const available = this.stream.readableLength;
      const chunk = available > max ? this.stream.read(max) : this.stream.read();
      if (chunk !== null) return chunk;
      if (this.ended) return null;
      await new Promise((resolve) => { this.wakeReader = resolve; });
    }
  }

  /** Exactly `size` bytes, or fewer at the end. */
  async readExactly(size) {
    const chunks = [];
    let length = 0;
    while (length < size) {
      const chunk = await this.read(size - length);
      if (chunk === null) break;
      chunks.push(chunk);
      length += chunk.length;
    }
    return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length);
  }

  /** Reads to the end and returns the number of bytes. */
  async drain() {
    let total = 0;
    for (let chunk; (chunk = await this.read()) !== null;) total += chunk.length;
    return total;
  }

  async write(chunk) {
    if (this.terminated || this.stream.writableEnded) throw new Error('the channel has been terminated');
    if (this.stream.write(chunk)) return;
    while (!this.terminated && this.stream.writableNeedDrain) await new Promise((resolve) => { this.wakeWriter = resolve; });
    if (this.terminated) throw new Error('the channel has been terminated');
  }

  /** Completes writing. */
  end() {
    this.stream.end();
  }
}

const PATTERN = Buffer.from(Array.from({ length: 251 * 261 }, (_, i) => i % 251));

async function writePattern(port, bytes) {
  for (let at = 0; at < bytes;) {
    const length = Math.min(bytes - at, PATTERN.length);
    await port.write(PATTERN.subarray(0, length));
    at += length;
  }
  port.end();
}

async function echo(port) {
  for (let chunk; (chunk = await port.read()) !== null;) await port.write(chunk);
  port.end();
}

async function writeCount(port, count) {
  const payload = Buffer.alloc(8);
  payload.writeBigUInt64BE(BigInt(count));
  await port.write(payload);
  port.end();
}

const sink = async (port) => writeCount(port, await port.drain());

async function slowSink(port, rate) {
  const burst = Math.max(1, Math.floor(rate / 10));
  let credit = 0;
  let last = performance.now();
  let total = 0;
  for (;;) {
    const now = performance.now();
    credit = Math.min(burst, credit + (rate * (now - last)) / 1000);
    last = now;
    if (credit < 1) {
      await sleep(Math.min(100, Math.max(1, Math.ceil(1000 / rate))));
      continue;
    }
    const chunk = await port.read(Math.floor(credit));
    if (chunk === null) break;
    credit -= chunk.length;
    total += chunk.length;
  }
  await writeCount(port, total);
}

async function readLine(port) {
  let line = '';
  while (!line.includes('\n')) {
    const chunk = await port.read();
    if (chunk === null) break;
    line += chunk.toString('latin1');
  }
  return line.split('\n')[0].trim();
}

async function anonymous(port, mxs) {
  const line = await readLine(port);
  if (!/^\d+$/.test(line)) throw new Error(`'${line}' is no channel id`);
  const other = new Port(mxs.acceptChannel(Number(line)));
  run(echo(other), other.channel);
  await port.write('ok\n');
  port.end();
}

async function offerBack(port, mxs, name) {
  const other = new Port(await mxs.offerChannelAsync(name));
  run(echo(other), other.channel);
  await port.drain();
  port.end();
}

/** A failure in the service of a channel ends that channel. */
function run(service, channel) {
  service.catch((error) => {
    if (channel.isDisposed) return;
    log(`channel ${channel.id}: ${error.message}`);
    channel.dispose(error);
  });
}

// ---------------------------------------------------------------------------------------------------------------------
// JSON-RPC

class CountingWriter extends rpc.StreamMessageWriter {
  pending = 0;

  write(message) {
    this.pending++;
    const written = super.write(message);
    const done = () => { this.pending--; };
    written.then(done, done);
    return written;
  }
}

function rpcConnection(channel) {
  const { stream } = channel;
  const writer = new CountingWriter(stream);
  const connection = rpc.createMessageConnection(new rpc.StreamMessageReader(stream), writer, rpc.NullLogger);
  // By itself, the library leaves the requests open when the channel goes.
  const dispose = () => connection.dispose();
  channel.completion.then(dispose, dispose);
  return { connection, writer };
}

function serveRpc(port, mxs) {
  const { channel, stream } = port;
  const { connection, writer } = rpcConnection(channel);
  let running = 0;
  const handle = (method, handler) => connection.onRequest(method, async (...args) => {
    running++;
    try {
      return await handler(...args);
    } finally {
      running--;
    }
  });
  const check = (good, what) => {
    if (!good) throw new rpc.ResponseError(rpc.ErrorCodes.InvalidParams, `${what} expected`);
  };

  handle('echo', (text) => { check(typeof text === 'string', 'a string'); return text; });
  handle('add', (a, b) => { check(Number.isInteger(a) && Number.isInteger(b), 'two integers'); return a + b; });
  handle('fail', (text) => { throw new rpc.ResponseError(SERVER_ERROR, String(text)); });
  handle('delay', (ms, token) => {
    check(Number.isInteger(ms), 'an integer');
    const cancelled = () => new rpc.ResponseError(REQUEST_CANCELLED, 'the request has been cancelled');
    if (token.isCancellationRequested) throw cancelled(); // such a token raises no event any more
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => { subscription.dispose(); resolve(true); }, ms);
      const subscription = token.onCancellationRequested(() => { clearTimeout(timer); reject(cancelled()); });
    });
  });
  handle('notifyBack', async (text) => {
    check(typeof text === 'string', 'a string');
    await connection.sendNotification('notified', text);
    return null;
  });
  handle('callBack', (n) => { check(Number.isInteger(n), 'an integer'); return connection.sendRequest('twice', n); });
  handle('download', (n) => {
    check(Number.isInteger(n) && n >= 0, 'a count');
    const other = new Port(mxs.createChannel());
    run(writePattern(other, n), other.channel);
    return other.channel.id;
  });
  handle('upload', async (id) => {
    check(Number.isInteger(id), 'a channel id');
    const other = new Port(mxs.acceptChannel(id));
    const total = await other.drain();
    other.end();
    return total;
  });
  connection.listen();

  stream.on('end', async () => {
    // Requests that came before the end are still answered.
    do { await turn(); await turn(); } while ((running > 0 || writer.pending > 0) && !port.terminated);
    connection.dispose();
    port.end();
  });
}

// ---------------------------------------------------------------------------------------------------------------------
// The server

/** What to do with a channel of a name: a function of (port, mxs), or null to reject it. */
function serviceFor(name) {
  const colon = name.indexOf(':');
  const argument = colon < 0 ? null : name.slice(colon + 1);
  const number = argument !== null && /^\d+$/.test(argument) ? Number(argument) : null;
  const verb = colon < 0 ? null : name.slice(0, colon);

  if (verb === 'source' && number !== null) return (port) => writePattern(port, number);
  if (verb === 'slow-sink' && number) return (port) => slowSink(port, number);
  if (verb === 'fail') return async (port) => port.channel.dispose(new Error(argument));
  if (verb === 'offerback') return (port, mxs) => offerBack(port, mxs, argument);
  if (name.startsWith('sink')) return sink;
  if (name.startsWith('echo')) return echo;
  if (name.startsWith('hold')) return async () => {};
  if (name.startsWith('anon')) return anonymous;
  if (name.startsWith('rpc')) return async (port, mxs) => serveRpc(port, mxs);
  return null;
}

function onOffered(mxs, { id, name, isAccepted }) {
  if (isAccepted || name === '') return; // an anonymous channel waits until another one speaks of it
  try {
    const service = serviceFor(name);
    if (service === null) {
      mxs.rejectChannel(id);
      return;
    }
    const port = new Port(mxs.acceptChannel(id));
    run(service(port, mxs), port.channel);
  } catch (error) {
    log(`offer ${id}: ${error.message}`); // it may have been withdrawn
  }
}

async function serveTransport(transport, options) {
  try {
    const { seeded, finished } = await openConnection(transport, { ...options, onOffered });
    for (const port of seeded) run(echo(port), port.channel);
    const error = await finished;
    if (error) log(`connection: ${error.message}`);
  } catch (error) {
    log(`connection: ${error.message}`);
  }
}

async function serve(options) {
  // The library drops some promises whose rejection a client can bring about, such as that of a channel which is offered
  // and then terminated with an error before it has been accepted.
  process.on('unhandledRejection', (error) => log(`unhandled rejection: ${error && error.message}`));
  process.on('uncaughtException', (error) => log(`uncaught exception: ${error && error.stack}`));

  if (options.stdio) {
    await serveTransport(stdioTransport(), options);
    process.exit(0);
  }
  const server = net.createServer({ noDelay: true }, (socket) => serveTransport(socket, options));
  server.on('error', (error) => { log(error.message); process.exit(1); });
  server.listen(options.port, '127.0.0.1', () => process.stdout.write(`LISTENING ${server.address().port}\n`));
}

// ---------------------------------------------------------------------------------------------------------------------
// The client

function connectTcp(host, port) {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host, port, noDelay: true });
    socket.once('error', reject);
    socket.once('connect', () => { socket.off('error', reject); resolve(socket); });
  });
}

async function offer(mxs, name) {
  return new Port(await mxs.offerChannelAsync(name));
}

async function transfer(mxs, name, bytes, chunk) {
  const port = await offer(mxs, name);
  for (let at = 0; at < bytes;) {
    const length = Math.min(bytes - at, chunk.length);
    await port.write(length === chunk.length ? chunk : chunk.subarray(0, length));
    at += length;
  }
  port.end();
  const answer = await port.readExactly(8);
  if (answer.length !== 8) throw new Error(`${name}: the channel ended after ${answer.length} of 8 bytes`);
  const count = answer.readBigUInt64BE();
  if (count !== BigInt(bytes)) throw new Error(`${name}: ${count} bytes arrived of ${bytes}`);
  await port.drain();
  port.channel.dispose(); // the library never closes a channel by itself
}

async function roundTrip(port, message) {
  await port.write(message);
  const answer = await port.readExactly(message.length);
  if (!answer.equals(message)) throw new Error('the echo differs from the message');
}

/** The scenarios: each gets the connection once and returns one iteration, which gets a function for round-trip times. */
const SCENARIOS = {
  async bulk(mxs, { bytes, chunk }) {
    return () => transfer(mxs, 'sink', bytes, chunk);
  },

  async contended(mxs, { bytes, chunk, channels = 8 }) {
    const share = (i) => Math.floor(bytes / channels) + (i < bytes % channels ? 1 : 0);
    return () => Promise.all(Array.from({ length: channels }, (_, i) => transfer(mxs, `sink${i}`, share(i), chunk)));
  },

  async duplex(mxs, { message, rounds }) {
    const port = await offer(mxs, 'echo');
    return async (sample) => {
      for (let i = 0; i < rounds; i++) await timed(() => roundTrip(port, message), sample);
    };
  },

  async lifetime(mxs, { channels = 500 }) {
    return async () => {
      const ports = [];
      for (let i = 0; i < channels; i++) ports.push(await offer(mxs, `echo${i}`));
      for (const port of ports) port.channel.dispose();
      await Promise.all(ports.map((port) => port.channel.completion));
    };
  },

  async mixed(mxs, { bytes, chunk, message }) {
    const port = await offer(mxs, 'echo');
    return async (sample) => {
      let running = true;
      const bulk = transfer(mxs, 'sink', bytes, chunk).finally(() => { running = false; });
      bulk.catch(ignore); // awaited below
      do await timed(() => roundTrip(port, message), sample); while (running);
      await bulk;
    };
  },

  async rpc(mxs, { message, rounds }) {
    const port = await offer(mxs, 'rpc');
    const { connection } = rpcConnection(port.channel);
    connection.listen();
    const text = 'x'.repeat(message.length);
    const call = async () => {
      if (await connection.sendRequest('echo', text) !== text) throw new Error('the echo differs from the message');
    };
    return async (sample) => {
      for (let i = 0; i < rounds; i++) await timed(call, sample);
    };
  },
};

async function timed(action, sample) {
  const start = process.hrtime.bigint();
  await action();
  sample(Number(process.hrtime.bigint() - start) / 1000);
}

function percentile(sorted, p) {
  if (sorted.length === 0) return null;
  return round(sorted[Math.max(0, Math.ceil((p / 100) * sorted.length) - 1)]);
}

const round = (x) => Math.round(x * 1000) / 1000;

async function bench(options) {
  const socket = await connectTcp(options.host, options.port);
  const { mxs, finished } = await openConnection(socket, options);
  let over = false;
  const broken = finished.then((error) => {
    if (!over) throw error ?? new Error('the server closed the connection');
  });
  broken.catch(ignore);

  const parameters = {
    ...options,
    chunk: Buffer.alloc(options.chunk, 0x61),
    message: Buffer.from(Array.from({ length: options.message }, (_, i) => i % 251)),
  };
  const ms = [];
  const samples = [];
  const work = async () => {
    const iterate = await SCENARIOS[options.scenario](mxs, parameters);
    for (let i = -options.warmup; i < options.iterations; i++) {
      const start = process.hrtime.bigint();
      await iterate(i < 0 ? ignore : (us) => samples.push(us));
      if (i >= 0) ms.push(round(Number(process.hrtime.bigint() - start) / 1e6));
    }
  };
  await Promise.race([work(), broken]);
  over = true;
  mxs.dispose();
  await Promise.race([finished, sleep(1000)]);

  samples.sort((a, b) => a - b);
  process.stdout.write(`${JSON.stringify({
    peer: NAME,
    scenario: options.scenario,
    version: options.version,
    ms,
    bytes: options.bytes,
    rounds: options.rounds,
    p50us: percentile(samples, 50),
    p99us: percentile(samples, 99),
  })}\n`, () => process.exit(0));
}

// ---------------------------------------------------------------------------------------------------------------------
// The command line

class UsageError extends Error {}

const COMMON = { version: 3, window: undefined, 'max-window': undefined, 'max-total-growth': undefined };
const OPTIONS = {
  serve: { ...COMMON, port: 0, seeded: 0, stdio: false },
  bench: {
    ...COMMON, host: '127.0.0.1', port: null, scenario: null, bytes: 33554432, chunk: 65536, channels: undefined,
    message: 128, rounds: 2000, warmup: 3, iterations: 10,
  },
};
const STRINGS = ['host', 'scenario'];
const AT_LEAST_ONE = ['window', 'chunk', 'channels', 'message'];

function parse(argv) {
  const [verb, ...rest] = argv;
  if (!Object.hasOwn(OPTIONS, verb ?? '')) throw new UsageError('usage: peer.js serve|bench [--name value]...');
  const options = { ...OPTIONS[verb] };
  for (let i = 0; i < rest.length; i++) {
    const name = rest[i].replace(/^--/, '');
    if (name === rest[i] || !Object.hasOwn(options, name)) throw new UsageError(`${verb}: unknown option ${rest[i]}`);
    if (name === 'stdio') {
      options.stdio = true;
      continue;
    }
    if (++i === rest.length) throw new UsageError(`${verb}: --${name} needs a value`);
    if (STRINGS.includes(name)) {
      options[name] = rest[i];
    } else {
      const value = Number(rest[i]);
      if (!/^\d+$/.test(rest[i]) || !Number.isSafeInteger(value) || (value === 0 && AT_LEAST_ONE.includes(name))) {
        throw new UsageError(`${verb}: --${name} ${rest[i]}: not a number that can be used`);
      }
      options[name] = value;
    }
  }
  for (const name of Object.keys(options)) {
    if (options[name] === null) throw new UsageError(`${verb}: --${name} is required`);
  }
  if (!VERSIONS.includes(options.version)) {
    throw new UsageError(`nerdbank-streams has no protocol version ${options.version}, only ${VERSIONS.join(', ')}`);
  }
  if (options.seeded > 0 && options.version < 3) throw new UsageError('seeded channels need version 3');
  if (verb === 'bench' && !Object.hasOwn(SCENARIOS, options.scenario)) {
    throw new UsageError(`no scenario '${options.scenario}', only ${Object.keys(SCENARIOS).join(', ')}`);
  }
  for (const name of ['max-window', 'max-total-growth']) {
    if (options[name] !== undefined) log(`--${name} is ignored: a window of nerdbank-streams never grows`);
  }
  return { verb, options };
}

async function main() {
  try {
    const { verb, options } = parse(process.argv.slice(2));
    await (verb === 'serve' ? serve : bench)(options);
  } catch (error) {
    log(error instanceof UsageError ? error.message : error.stack);
    process.exit(error instanceof UsageError ? 2 : 1);
  }
}

module.exports = { openConnection, connectTcp, Port, rpcConnection };

if (require.main === module) main();
