/** S3 error codes and exceptions, and their mapping from backend failures. */
@NullMarked
package io.millrace.gateway.error;

import org.jspecify.annotations.NullMarked;
