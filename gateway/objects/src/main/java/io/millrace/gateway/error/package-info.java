/** S3's error codes, and what a backend's failure becomes. */
@NullMarked
package io.millrace.gateway.error;

import org.jspecify.annotations.NullMarked;
