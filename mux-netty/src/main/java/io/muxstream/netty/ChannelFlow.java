package io.muxstream.netty;

import io.muxstream.protocol.channel.LogicalChannel;

/**
 * A channel's windows and growth, at one moment (spec §7, §8).
 *
 * @param sendWindowBytes the window that the peer holds ready; 0 while it is not known, 2^62 on v1
 * @param creditBytes how much of that may be sent now
 * @param receiveWindowBytes the window that this party holds ready; 2^62 on v1
 * @param unreadBytes what has come and is not consumed
 * @param growthAsked requests that this party has sent
 * @param growthGranted windows that the peer has made larger
 * @param growthRefused requests of ours that the peer has refused
 * @param peerGrowthAsked requests that the peer has sent
 * @param peerGrowthGranted those of them that were granted
 * @param peerGrowthRefused those of them that were refused
 */
public record ChannelFlow(
        long sendWindowBytes,
        long creditBytes,
        long receiveWindowBytes,
        long unreadBytes,
        long growthAsked,
        long growthGranted,
        long growthRefused,
        long peerGrowthAsked,
        long peerGrowthGranted,
        long peerGrowthRefused) {

    static ChannelFlow of(LogicalChannel channel) {
        var requests = channel.growthRequests();
        var answers = channel.growthAnswers();
        return new ChannelFlow(
                channel.sendWindowBytes(),
                channel.creditBytes(),
                channel.receiveWindowBytes(),
                channel.unreadBytes(),
                requests.asked(),
                requests.granted(),
                requests.refused(),
                answers.asked(),
                answers.granted(),
                answers.refused());
    }
}
