/** The peer contract, conformance and interoperability as reusable code. */
@NullMarked
@CheckReturnValue
package io.muxstream.testkit;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
