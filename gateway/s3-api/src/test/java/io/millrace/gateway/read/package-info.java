/** S3 reads through the gateway in front of real backends: one suite of cases, one subclass for each backend. */
@NullMarked
package io.millrace.gateway.read;

import org.jspecify.annotations.NullMarked;
