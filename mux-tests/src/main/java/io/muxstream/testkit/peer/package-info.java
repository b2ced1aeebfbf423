/** The peer contract as code: what a server does with each channel, and the scenarios that a client measures. */
@NullMarked
@CheckReturnValue
package io.muxstream.testkit.peer;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
