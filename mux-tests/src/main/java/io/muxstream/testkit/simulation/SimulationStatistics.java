package io.muxstream.testkit.simulation;

/**
 * What happened in the run of a seed, or of many: counts, bytes and virtual nanoseconds.
 *
 * @param seeds how many were run
 * @param events how many events happened
 * @param channels how many channels were offered, or were there from the start
 * @param completedChannels how many of them ended since both parties had completed
 * @param bytes how many bytes of content were delivered, and compared
 * @param growthGranted how many windows grew
 * @param growthRefused how many requests were refused
 * @param cuts how many links were cut
 * @param virtualNanos how long it took in virtual time
 */
public record SimulationStatistics(
        long seeds,
        long events,
        long channels,
        long completedChannels,
        long bytes,
        long growthGranted,
        long growthRefused,
        long cuts,
        double virtualNanos) {
    /** Nothing yet. */
    public static final SimulationStatistics NONE = new SimulationStatistics(0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** Both together. */
    public SimulationStatistics plus(SimulationStatistics other) {
        return new SimulationStatistics(
                seeds + other.seeds,
                events + other.events,
                channels + other.channels,
                completedChannels + other.completedChannels,
                bytes + other.bytes,
                growthGranted + other.growthGranted,
                growthRefused + other.growthRefused,
                cuts + other.cuts,
                virtualNanos + other.virtualNanos);
    }
}
