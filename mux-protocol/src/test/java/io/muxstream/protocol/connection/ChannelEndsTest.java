package io.muxstream.protocol.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.channel.TerminationReason;
import io.muxstream.protocol.channel.TerminationReason.Cause;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every state of a channel against every way in which it can end: its user is told once, unless it ended it itself; the termination goes
 * out once, and nothing behind it; and all that it held comes back.
 */
class ChannelEndsTest {
    private static final int WINDOW_BYTES = 1_000;

    /** What a channel may have come to before it ends. */
    enum State {
        OFFERED {
            @Override
            ScriptedPeer.Reader reach(ScriptedPeer peer) {
                return peer.offer("a");
            }
        },
        WAITING_BEHIND_OTHER_OFFERS {
            @Override
            ScriptedPeer.Reader reach(ScriptedPeer peer) {
                peer.offer("first");
                peer.offer("second");
                return peer.offer("a");
            }
        },
        OFFERED_BY_PEER {
            @Override
            ScriptedPeer.Reader reach(ScriptedPeer peer) {
                peer.offers(peer.mine(1), "a", WINDOW_BYTES);
                peer.sendsContent(peer.mine(1), 100);
                ScriptedPeer.Reader reader = peer.new Reader();
                reader.channel = peer.at(peer.mine(1));
                reader.channel.listen(reader);
                return reader;
            }
        },
        OPEN {
            @Override
            ScriptedPeer.Reader reach(ScriptedPeer peer) {
                return peer.open(1, WINDOW_BYTES);
            }
        },
        OPEN_FROM_PEER {
            @Override
            ScriptedPeer.Reader reach(ScriptedPeer peer) {
                return peer.openFromPeer(1, WINDOW_BYTES);
            }
        },
        WE_DONE {
            @Override
            ScriptedPeer.Reader reach(ScriptedPeer peer) {
                ScriptedPeer.Reader reader = peer.open(1, WINDOW_BYTES);
                peer.engine.finish(reader.channel);
                return reader;
            }
        },
        PEER_DONE {
            @Override
            ScriptedPeer.Reader reach(ScriptedPeer peer) {
                ScriptedPeer.Reader reader = peer.open(1, WINDOW_BYTES);
                peer.sends(new Frame.ContentWritingCompleted(peer.yours(1)));
                return reader;
            }
        },
        WE_READ_NO_MORE {
            @Override
            ScriptedPeer.Reader reach(ScriptedPeer peer) {
                ScriptedPeer.Reader reader = peer.open(1, WINDOW_BYTES);
                peer.engine.finishReading(reader.channel);
                return reader;
            }
        },
        PEER_READS_NO_MORE {
            @Override
            ScriptedPeer.Reader reach(ScriptedPeer peer) {
                ScriptedPeer.Reader reader = peer.open(1, WINDOW_BYTES);
                peer.sends(new Frame.ContentReadingCompleted(peer.yours(1)));
                return reader;
            }
        },
        WITHOUT_CREDIT {
            @Override
            ScriptedPeer.Reader reach(ScriptedPeer peer) {
                ScriptedPeer.Reader reader = peer.open(1, WINDOW_BYTES);
                reader.sends(5L * WINDOW_BYTES);
                return reader;
            }
        },
        WITHOUT_TRANSPORT {
            @Override
            ScriptedPeer.Reader reach(ScriptedPeer peer) {
                ScriptedPeer.Reader reader = peer.open(1, 10L * WINDOW_BYTES);
                peer.sendsContent(peer.yours(1), 500);
                peer.engine.transportWritable(false);
                reader.consumes(500);
                reader.sends(5L * WINDOW_BYTES);
                return reader;
            }
        },
        UNREAD {
            @Override
            ScriptedPeer.Reader reach(ScriptedPeer peer) {
                ScriptedPeer.Reader reader = peer.open(1, WINDOW_BYTES);
                peer.sendsContent(peer.yours(1), 700);
                return reader;
            }
        },
        GROWN {
            @Override
            ScriptedPeer.Reader reach(ScriptedPeer peer) {
                ScriptedPeer.Reader reader = peer.open(1, WINDOW_BYTES);
                peer.engine.readerStarved(reader.channel);
                peer.sends(new Frame.ChannelWindowGrowthRequest(peer.yours(1)));
                // And another request that is not answered yet.
                peer.sendsContent(peer.yours(1), 100);
                peer.sends(new Frame.ChannelWindowGrowthRequest(peer.yours(1)));
                return reader;
            }
        };

        /** Brings a channel there. */
        abstract ScriptedPeer.Reader reach(ScriptedPeer peer);
    }

    /** How it ends; by what, as its user is told; null where it did that itself, or where it depends. */
    enum End {
        TERMINATED_BY_US(null) {
            @Override
            void bring(ScriptedPeer peer, LogicalChannel channel) {
                peer.engine.terminate(channel, null);
                peer.engine.terminate(channel, "again");
            }
        },
        TERMINATED_BY_US_WITH_A_TEXT(null) {
            @Override
            void bring(ScriptedPeer peer, LogicalChannel channel) {
                peer.engine.terminate(channel, "why");
            }
        },
        TERMINATED_BY_THE_PEER(Cause.PEER) {
            @Override
            void bring(ScriptedPeer peer, LogicalChannel channel) {
                peer.sends(new Frame.ChannelTerminated(idOf(peer, channel), null));
            }
        },
        TERMINATED_BY_BOTH_AT_ONCE(null) {
            @Override
            void bring(ScriptedPeer peer, LogicalChannel channel) {
                ChannelId id = channel.hasId() ? idOf(peer, channel) : null;
                peer.engine.terminate(channel, null);
                if (id != null) {
                    peer.sends(new Frame.ChannelTerminated(id, null));
                }
            }
        },
        FINISHED_BY_BOTH(null) {
            @Override
            void bring(ScriptedPeer peer, LogicalChannel channel) {
                if (!channel.state().isAccepted()) {
                    // Neither can have said so about an offer: it is taken back instead.
                    peer.engine.terminate(channel, null);
                    return;
                }
                ChannelId id = idOf(peer, channel);
                peer.engine.finish(channel);
                if (!channel.isPeerWritingCompleted()) {
                    peer.sends(new Frame.ContentWritingCompleted(id));
                }
            }
        },
        TRANSPORT_CLOSED(Cause.CONNECTION_ENDED) {
            @Override
            void bring(ScriptedPeer peer, LogicalChannel channel) {
                peer.engine.transportClosed(null);
            }
        },
        VIOLATION(Cause.CONNECTION_ENDED) {
            @Override
            void bring(ScriptedPeer peer, LogicalChannel channel) {
                peer.sendsContent(peer.yours(40), 1);
                assertThat(peer.cause).isNotNull();
            }
        };

        final Cause told;

        End(Cause told) {
            this.told = told;
        }

        abstract void bring(ScriptedPeer peer, LogicalChannel channel);
    }

    static Stream<Arguments> all() {
        return Stream.of(ProtocolVersion.values())
                .flatMap(version -> Arrays.stream(State.values())
                        .filter(state -> version.hasFlowControl() || !needsFlowControl(state))
                        .flatMap(state -> Arrays.stream(End.values()).map(end -> Arguments.of(version, state, end))));
    }

    private static boolean needsFlowControl(State state) {
        return state == State.PEER_READS_NO_MORE || state == State.WITHOUT_CREDIT || state == State.GROWN;
    }

    @ParameterizedTest
    @MethodSource("all")
    void itsUserIsToldOnceAndTheTerminationGoesOutOnceAndAllComesBack(ProtocolVersion version, State state, End end) {
        ScriptedPeer peer = new ScriptedPeer(ConnectionConfig.builder(version)
                .windowBytes(WINDOW_BYTES)
                .maxUnansweredOffers(2)
                .build());
        long freeWindowBytes = peer.engine.freeWindowBytes();
        long freeGrowthBytes = peer.engine.freeGrowthBytes();
        ScriptedPeer.Reader reader = state.reach(peer);
        LogicalChannel channel = reader.channel;
        if (end == End.TERMINATED_BY_THE_PEER && !channel.hasId()) {
            return; // The peer does not know of it.
        }
        ChannelId id = channel.hasId() ? idOf(peer, channel) : null;
        peer.received();

        end.bring(peer, channel);
        assertThat(channel.isTerminated()).isTrue();
        peer.engine.transportWritable(true);
        // What is asked of it now does nothing.
        peer.engine.consumed(channel, reader.unread);
        peer.engine.finish(channel);
        peer.engine.finishReading(channel);
        peer.engine.readerStarved(channel);
        peer.engine.acknowledgeRest(channel);
        peer.engine.terminate(channel, "late");
        if (id != null && !peer.ended) {
            peer.sendsContent(id, 1);
            peer.sends(new Frame.ChannelTerminated(id, null));
        }

        boolean connectionEnded = end.told == Cause.CONNECTION_ENDED;
        List<Object> about =
                peer.received().stream().filter(frame -> isAbout(frame, id)).toList();
        if (connectionEnded || id == null) {
            assertThat(about).isEmpty();
        } else {
            assertThat(about.get(about.size() - 1)).isInstanceOf(Frame.ChannelTerminated.class);
            assertThat(about)
                    .filteredOn(Frame.ChannelTerminated.class::isInstance)
                    .hasSize(1);
        }
        assertTold(reader, end, state);
        assertThat(peer.engine.unreadBytes()).isZero();
        peer.endsWithoutLeak();
        assertThat(peer.engine.freeWindowBytes()).isEqualTo(freeWindowBytes);
        assertThat(peer.engine.freeGrowthBytes()).isEqualTo(freeGrowthBytes);
        assertThat(peer.engine.channelCount()).isZero();
        assertThat(peer.failures).isEmpty();
    }

    private static void assertTold(ScriptedPeer.Reader reader, End end, State state) {
        TerminationReason reason = Objects.requireNonNull(reader.channel.terminationReason());
        if (end.told == null) {
            // By a command of ours nobody is told; where the peer's completion was the last word, the user is.
            assertThat(reason.cause()).isIn(Cause.LOCAL, Cause.COMPLETED);
            assertThat(reader.terminated == null || reason.cause() == Cause.COMPLETED)
                    .isTrue();
            return;
        }
        Cause expected = end.told;
        if (expected == Cause.PEER && state == State.OFFERED) {
            expected = Cause.REJECTED;
        } else if (expected == Cause.PEER && state == State.OFFERED_BY_PEER) {
            expected = Cause.RESCINDED;
        }
        assertThat(reader.terminated).isSameAs(reason);
        assertThat(reason.cause()).isEqualTo(expected);
    }

    private static boolean isAbout(Object frame, ChannelId id) {
        if (id == null) {
            return frame instanceof Frame.Offer offer && offer.name().equals("a");
        }
        return frame instanceof Frame known
                ? id.equals(known.id())
                : frame.toString().startsWith("content " + id + " ");
    }

    /** A channel's id, as the peer sees it. */
    private static ChannelId idOf(ScriptedPeer peer, LogicalChannel channel) {
        return channel.state().isOfferedByPeer() || peer.at(peer.mine(1)) == channel ? peer.mine(1) : peer.yours(1);
    }
}
