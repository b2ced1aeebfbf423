/** The command {@code conform}: judges another implementation by the bytes that it sends. */
@NullMarked
@CheckReturnValue
package io.muxstream.bench.conform;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
