/** Flow control as arithmetic on longs: no frames, no buffers, no channels. Imports nothing else of the project. */
@NullMarked
@CheckReturnValue
package io.muxstream.protocol.flow;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
