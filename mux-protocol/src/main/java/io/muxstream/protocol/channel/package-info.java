/** One channel: its states, its windows, and what it tells. Decides and returns; never writes a frame. */
@NullMarked
@CheckReturnValue
package io.muxstream.protocol.channel;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
