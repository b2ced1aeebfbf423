/** The vocabulary of the protocol: frames, ids, versions and violations. Values only; imports nothing else of the project. */
@NullMarked
@CheckReturnValue
package io.muxstream.protocol.frame;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
