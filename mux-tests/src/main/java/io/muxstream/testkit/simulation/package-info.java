/** Two engines over a virtual link, in virtual time, everything from one seed; and the rules that hold after every event. */
@NullMarked
@CheckReturnValue
package io.muxstream.testkit.simulation;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
