/** The cases of the conformance suite, and the party that plays them with exact bytes. */
@NullMarked
@CheckReturnValue
package io.muxstream.bench.conform.cases;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
