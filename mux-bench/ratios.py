#!/usr/bin/env python3
"""Bulk and duplex of ours, of bare sockets and of foreign peers, side by side.

Each round runs every peer once, client and server a process each, so that whatever else the machine does meets all of them alike. Printed
are medians over the rounds, of each run's own median, and their ratio to the bare sockets (`--engine raw`).

    python3 mux-bench/ratios.py --rounds 5 --peers raw,v1,v3,v4,node3,dotnet3 --dotnet PATH
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def commands(args):
    mux = ["java", "-jar", str(ROOT / "mux-bench/target/mux.jar")]
    node = ["node", str(ROOT / "mux-tests/peers/node/peer.js")]
    known = {"raw": (mux, ["--engine", "raw"])}
    for version in "1234":
        known["v" + version] = (mux, ["--version", version])
        known["node" + version] = (node, ["--version", version])
        known["dotnet" + version] = ([args.dotnet], ["--version", version])
    return {peer: known[peer] for peer in args.peers.split(",")}


def run(program, options, scenario, counts):
    server = subprocess.Popen(program + ["serve"] + options, stdout=subprocess.PIPE, text=True)
    try:
        port = server.stdout.readline().split()[1]
        bench = program + ["bench", "--port", port, "--scenario", scenario] + options + counts
        return json.loads(subprocess.run(bench, stdout=subprocess.PIPE, text=True, check=True).stdout)
    finally:
        server.kill()
        server.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers", default="raw,v1,v3,v4,node3")
    parser.add_argument("--dotnet", default="", help="the program of the .NET peer")
    parser.add_argument("--bytes", type=int, default=32 << 20, help="of bulk")
    args = parser.parse_args()
    peers = commands(args)
    results = {peer: {"bulk": [], "duplex": []} for peer in peers}
    for number in range(args.rounds):
        for peer, (program, options) in peers.items():
            bulk = run(program, options, "bulk", ["--bytes", str(args.bytes)])
            results[peer]["bulk"].append(args.bytes / 1e3 / statistics.median(bulk["ms"]))
            results[peer]["duplex"].append(run(program, options, "duplex", [])["p50us"])
            print(f"round {number + 1} {peer}: {results[peer]['bulk'][-1]:.0f} MB/s, "
                  f"{results[peer]['duplex'][-1]:.1f} us", file=sys.stderr)
    median = {peer: {what: statistics.median(all_) for what, all_ in of.items()} for peer, of in results.items()}
    raw = median.get("raw")
    print("peer      bulk MB/s    of raw   duplex p50 us    of raw")
    for peer, of in median.items():
        ratios = [f"{of[what] / raw[what]:9.2f}" if raw else " " * 9 for what in ("bulk", "duplex")]
        print(f"{peer:8} {of['bulk']:10.0f} {ratios[0]} {of['duplex']:15.1f} {ratios[1]}")


main()
