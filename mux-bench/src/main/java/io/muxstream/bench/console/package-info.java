/** What verbs show while they run. */
@NullMarked
@CheckReturnValue
package io.muxstream.bench.console;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
