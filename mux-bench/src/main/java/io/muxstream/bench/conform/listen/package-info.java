/** The server's part, for judging a client by what it sends. */
@NullMarked
@CheckReturnValue
package io.muxstream.bench.conform.listen;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
