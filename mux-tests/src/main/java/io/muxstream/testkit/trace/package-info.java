/** Recorded connections (spec/traces), read and played against the engine. */
@NullMarked
@CheckReturnValue
package io.muxstream.testkit.trace;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
