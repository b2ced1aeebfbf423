/** Frames as bytes, written and read without the product's own codec: what is judged must not judge itself. */
@NullMarked
@CheckReturnValue
package io.muxstream.bench.conform.wire;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
