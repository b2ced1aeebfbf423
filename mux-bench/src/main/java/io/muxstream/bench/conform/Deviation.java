package io.muxstream.bench.conform;

import java.util.Set;

/**
 * A case that an implementation is known not to meet.
 *
 * @param name the case
 * @param versions those on which it isn't met
 * @param shows a part of what comes then, so that no other failure hides behind this one
 * @param instead what the implementation does
 * @param why what is known of the reason
 * @param sometimes whether it hangs on the timing: it may pass as well
 */
record Deviation(String name, Set<Integer> versions, String shows, String instead, String why, boolean sometimes) {}
