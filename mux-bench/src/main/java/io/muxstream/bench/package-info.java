/** The command line {@code mux}. */
@NullMarked
@CheckReturnValue
package io.muxstream.bench;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
