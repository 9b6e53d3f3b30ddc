/** S3 responses: what must hold of them, and what errors mean. */
@NullMarked
package io.millrace.backend.s3.response;

import org.jspecify.annotations.NullMarked;
