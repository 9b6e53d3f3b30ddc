/** Tests of the parts of fills; whole ones are tried from outside, in the package above. */
@NullMarked
package io.millrace.cache.fill;

import org.jspecify.annotations.NullMarked;
