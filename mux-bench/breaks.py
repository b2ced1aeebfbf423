#!/usr/bin/env python3
"""Shows that the simulator can fail: breaks one thing of the engine at a time, on a copy, and counts the seeds until `mux simulate` notices.

    mvn -q -DskipTests package && mux-bench/breaks.py [--seeds N] [--only NAME]

A line each: what was broken, after how many seeds it was caught, as what. Ends with 1 where a break was not caught within N seeds, where a
text to break is not in the source any more, or where the engine as it is fails on the first N seeds.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
JAR = ROOT / "mux-bench/target/mux.jar"
SOURCES = ROOT / "mux-protocol/src/main/java/io/muxstream/protocol"

# name, source file, what stands there once and what is put in its place, perhaps more of these
BREAKS = [
    ("threshold", "flow/ReceiveWindow.java",
     "owedBytes() >= thresholdBytes()", "owedBytes() > thresholdBytes()"),
    ("threshold of large windows", "flow/ReceiveWindow.java",
     "windowBytes / 8", "windowBytes / 2"),
    ("whole-window net", "flow/ReceiveWindow.java",
     "Math.min(windowBytes, Math.max(MIN_ACKNOWLEDGED_BYTES, windowBytes / 8))",
     "Math.max(MIN_ACKNOWLEDGED_BYTES, windowBytes / 8)"),
    ("acknowledgement of one byte", "connection/Channels.java",
     "if (bytes > 0 && !channel.isTerminated()", "if (bytes > 1 && !channel.isTerminated()"),
    ("deferred answer", "connection/Channels.java",
     "channel.starve(true);\n        answerGrowth(channel);", "channel.starve(true);"),
    ("answered before the reader starves", "connection/Channels.java",
     "if (!reads || !channel.isReaderStarved() || ", "if (!reads || "),
    ("window told before it is counted", "connection/Channels.java",
     "channel.receiveWindow().grow(answerBytes);", "assert answerBytes > 0;"),
    ("budget's return", "flow/GrowthAnswers.java",
     "budget.giveBack(takenBytes);", "assert takenBytes >= 0;"),
    ("budget ignored", "flow/GrowthBudget.java",
     "if (bytes > freeBytes || !windows", "if (!windows"),
    ("back-off", "flow/GrowthRequests.java",
     "stallsSinceRefusal < 1 << refusalsInARow", "stallsSinceRefusal < 1"),
    ("two requests at a time", "flow/GrowthRequests.java",
     "if (outstanding) {\n            return false;\n        }", ""),
    ("request behind the completion", "connection/Channels.java",
     "output.dropGrowthRequest(channel);", ""),
    ("credit behind the completion", "connection/Receiver.java",
     "channels.output.dropCredit(channel);", ""),
    ("crossing rescinds", "connection/ChannelTable.java",
     "if (channel == null && !wasUsed(id)) {", "if (channel == null) {"),
    ("termination not answered", "connection/Receiver.java",
     "channels.sendTermination(channel, null);\n        terminated(channel, new TerminationReason(cause",
     "terminated(channel, new TerminationReason(cause"),
    ("completion before the acceptance", "connection/Channels.java",
     "channel.wantCompletion();\n            return;", "return;"),
    ("completion overtakes content", "connection/FrameOutput.java",
     "sink.write(header);\n            sink.write(data.retainedSlice(data.readerIndex(), bytes));",
     "if (late != null) {\n                sink.write(late);\n            }\n"
     "            late = header.writeBytes(data, data.readerIndex(), bytes);",
     "private int queuedAnswers;", "private int queuedAnswers;\n    private @Nullable ByteBuf late;"),
    ("coalescing", "channel/PendingControl.java",
     "acknowledgedBytes += bytes;", "acknowledgedBytes = bytes;"),
    ("pending not forgotten", "connection/FrameOutput.java",
     "pending.remove(channel);", "assert channel != null;"),
    ("perspective of ids", "wire/V3Codec.java",
     "source > 0 ? ChannelSource.REMOTE : ChannelSource.LOCAL", "source > 0 ? ChannelSource.LOCAL : ChannelSource.REMOTE"),
    ("parity of ids", "wire/Parity.java",
     "party == Party.ODD ? 1 : 0", "party == Party.ODD ? 0 : 1"),
    ("queue's wake-up", "connection/Channels.java",
     "sendQueue.add(channel);\n            sendQueue.drain(this::listenerFailed);", "sendQueue.add(channel);"),
    ("wake-up by the transport", "connection/Channels.java",
     "output.writePending();\n            sendQueue.drain(this::listenerFailed);", "output.writePending();"),
    ("waiting offers", "connection/Channels.java",
     "if (before == ChannelState.OFFERED) {\n            offers.answered();\n        }", ""),
    ("credit beyond the window", "flow/SendWindow.java",
     "return windowBytes - outstandingBytes;", "return Math.max(1, windowBytes - outstandingBytes);"),
    ("payload not released", "connection/Receiver.java",
     "if (!kept) {\n                payload.release();\n            }", "assert payload.refCnt() > 0;"),
    ("partial frame kept", "connection/FrameInput.java",
     "partial = null;\n        try {", "try {"),
    ("window not given back", "connection/Channels.java",
     "limits.windows().giveBack(channel.reservedBytes());", ""),
    ("acceptance passes over nobody", "connection/OfferBook.java",
     "if (!oldest.isWithdrawn()) {", "if (oldest.isWithdrawn()) {"),
]


def broken_copy(folder, jar, name, source, *edits):
    text = (SOURCES / source).read_text(encoding="utf-8")
    for old, new in zip(edits[::2], edits[1::2]):
        if text.count(old) != 1:
            sys.exit(f"{name}: expected once in {source}, found {text.count(old)} times: {old!r}")
        text = text.replace(old, new)
    copy = folder / "io/muxstream/protocol" / source
    copy.parent.mkdir(parents=True)
    copy.write_text(text, encoding="utf-8")
    classes = folder / "classes"
    subprocess.run(["javac", "-nowarn", "-proc:none", "-cp", jar, "-d", classes, copy], check=True)
    return classes


def first_failure(classpath, seeds):
    """The first seed that fails, and as what; (None, "") where none does."""
    command = ["java", "-XX:+UseSerialGC", "-cp", classpath, "io.muxstream.bench.Mux",
               "simulate", "--seeds", str(seeds), "--threads", "1", "--max-failures", "1"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    failed = re.search(r"^seed (\d+): (.*); replay", run.stdout, re.MULTILINE)
    if failed:
        return int(failed.group(1)), failed.group(2)
    if run.returncode:
        sys.exit(f"expected a verdict, got {run.returncode}: {run.stdout}{run.stderr}")
    return None, ""


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seeds", type=int, default=10_000, help="at most so many a break (default: %(default)s)")
    options.add_argument("--only", help="the break of this name")
    options = options.parse_args()
    chosen = [one for one in BREAKS if options.only in (None, one[0])]
    if not chosen:
        sys.exit(f"expected one of {', '.join(one[0] for one in BREAKS)}, got {options.only}")
    with tempfile.TemporaryDirectory() as folder:
        # A copy, which no build exchanges meanwhile.
        sys.exit(try_all(chosen, options.seeds, shutil.copy(JAR, folder)))


def try_all(chosen, seeds, jar):
    missed = 0
    for name, *broken in chosen:
        with tempfile.TemporaryDirectory() as folder:
            classes = broken_copy(pathlib.Path(folder), jar, name, *broken)
            seed, verdict = first_failure(f"{classes}:{jar}", seeds)
        missed += seed is None
        print(f"{name}: " + (f"not caught in {seeds} seeds" if seed is None else f"{seed}: {verdict[:150]}"), flush=True)
    seed, verdict = first_failure(jar, min(1_000, seeds))
    if seed is not None:
        print(f"nothing broken: {seed}: {verdict}")
        missed += 1
    print(f"{len(chosen)} broken one at a time, {len(chosen) - missed} caught")
    return 1 if missed else 0


if __name__ == "__main__":
    main()
