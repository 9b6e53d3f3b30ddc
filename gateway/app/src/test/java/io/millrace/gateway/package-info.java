/** Tests of the gateway as a whole. */
@NullMarked
package io.millrace.gateway;

import org.jspecify.annotations.NullMarked;
