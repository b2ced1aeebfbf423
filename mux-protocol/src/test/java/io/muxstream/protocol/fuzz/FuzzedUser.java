package io.muxstream.protocol.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muxstream.protocol.channel.ChannelListener;
import io.muxstream.protocol.channel.ChannelState;
import io.muxstream.protocol.channel.ContentQueue;
import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.channel.TerminationReason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** A channel's user: holds what comes until it is told to take it, and demands to be told of the channel's end exactly once. */
final class FuzzedUser implements ChannelListener {
    private final FuzzedEngine party;
    private final ContentQueue held = new ContentQueue();
    private LogicalChannel channel;
    private long unread;
    private long toSend;
    private boolean acceptedTold;
    private boolean writingCompletedTold;
    private boolean readingCompletedTold;
    private boolean endedByUser;
    private TerminationReason terminated;

    FuzzedUser(FuzzedEngine party) {
        this.party = party;
    }

    void attach(LogicalChannel channel) {
        this.channel = channel;
    }

    LogicalChannel channel() {
        return channel;
    }

    long unread() {
        return unread;
    }

    /** Why the channel was told to be over; null: it was not told. */
    TerminationReason terminated() {
        return terminated;
    }

    // ---- What it does

    /** Takes at least so many of the bytes that lie here, buffer by buffer. */
    void take(long bytes) {
        long taken = 0;
        while (taken < bytes && !held.isEmpty()) {
            ByteBuf payload = held.poll();
            taken += payload.readableBytes();
            payload.release();
        }
        unread -= taken;
        party.engine().consumed(channel, taken);
    }

    void send(long bytes) {
        ChannelState state = channel.state();
        boolean may = state.canSend() || state == ChannelState.WAITING || state == ChannelState.OFFERED;
        if (!may) {
            ByteBuf data = Unpooled.wrappedBuffer(new byte[1]);
            assertThatThrownBy(() -> party.engine().send(channel, data)).isInstanceOf(IllegalStateException.class);
            return;
        }
        toSend += bytes;
        sendWhilePossible();
    }

    private void sendWhilePossible() {
        while (toSend > 0 && channel.state().canSend()) {
            long creditBytes = channel.creditBytes();
            ByteBuf data = Unpooled.wrappedBuffer(new byte[(int) Math.min(toSend, 50_000)]);
            int taken = party.engine().send(channel, data);
            assertThat(data.readableBytes()).isEqualTo(data.capacity());
            assertThat((long) taken).isBetween(0L, Math.min(data.readableBytes(), creditBytes));
            data.release();
            if (taken == 0) {
                return;
            }
            toSend -= taken;
        }
    }

    void finish() {
        command(() -> party.engine().finish(channel));
    }

    void finishReading() {
        command(() -> party.engine().finishReading(channel));
        take(unread);
    }

    void terminate(String errorText) {
        command(() -> party.engine().terminate(channel, errorText));
    }

    /** What ends the channel within a command is not told. */
    private void command(Runnable command) {
        boolean over = channel.isTerminated();
        command.run();
        endedByUser |= !over && channel.isTerminated();
    }

    /** This user, or whoever is told of its channel, is about to throw: that ends the channel, and is not told. */
    void aboutToThrow() {
        endedByUser |= !channel.isTerminated();
    }

    /** The channel was over before this user listened to it. */
    void markEnded() {
        endedByUser = true;
    }

    /** The connection is over: so is the channel, and this user knows. */
    void requireTold() {
        assertThat(channel.isTerminated())
                .as("%s of a connection that is over", channel)
                .isTrue();
        assertThat(channel.terminationReason()).isNotNull();
        assertThat(terminated != null)
                .as("%s was told its end, which was %s the user's doing", channel, endedByUser ? "" : "not")
                .isEqualTo(!endedByUser);
        if (terminated != null) {
            assertThat(terminated).isEqualTo(channel.terminationReason());
        }
    }

    // ---- What it is told

    private void told() {
        assertThat(terminated).as("told behind the end of %s", channel).isNull();
    }

    @Override
    public void onOfferSent() {
        told();
        assertThat(channel.hasId()).isTrue();
        party.act(channel);
    }

    @Override
    public void onAccepted() {
        told();
        assertThat(acceptedTold).isFalse();
        acceptedTold = true;
        party.act(channel);
    }

    @Override
    public void onContent(ByteBuf payload) {
        told();
        assertThat(writingCompletedTold).isFalse();
        assertThat(payload.readableBytes()).isPositive();
        hold(payload);
        party.act(channel);
    }

    void hold(ByteBuf payload) {
        unread += payload.readableBytes();
        held.add(payload);
    }

    @Override
    public void onWritingCompleted() {
        told();
        assertThat(writingCompletedTold).isFalse();
        writingCompletedTold = true;
        party.act(channel);
    }

    @Override
    public void onReadingCompleted() {
        told();
        assertThat(readingCompletedTold).isFalse();
        readingCompletedTold = true;
        toSend = 0;
        party.act(channel);
    }

    @Override
    public void onSendTurn() {
        told();
        party.act(channel);
        sendWhilePossible();
    }

    @Override
    public void onTerminated(TerminationReason reason) {
        told();
        assertThat(channel.isTerminated()).isTrue();
        terminated = reason;
        party.act(channel);
    }
}
