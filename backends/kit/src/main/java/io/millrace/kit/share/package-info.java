/** Fair shares of what is scarce: who is counted, and whose turn it is. */
@NullMarked
package io.millrace.kit.share;

import org.jspecify.annotations.NullMarked;
