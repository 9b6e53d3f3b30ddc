/** Search of thread interleavings. */
@NullMarked
package io.millrace.backend.testkit.interleaving;

import org.jspecify.annotations.NullMarked;
