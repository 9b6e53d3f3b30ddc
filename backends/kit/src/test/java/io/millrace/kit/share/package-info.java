/** Tests of shares and turns. */
@NullMarked
package io.millrace.kit.share;

import org.jspecify.annotations.NullMarked;
