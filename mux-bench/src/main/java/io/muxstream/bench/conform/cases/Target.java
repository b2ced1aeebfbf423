package io.muxstream.bench.conform.cases;

import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * The server that is judged.
 *
 * @param version 1 to 4
 * @param deadline how long a condition may take before it counts as not met
 */
public record Target(InetSocketAddress address, int version, Duration deadline) {}
