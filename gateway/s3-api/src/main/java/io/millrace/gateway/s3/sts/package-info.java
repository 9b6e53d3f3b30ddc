/** STS: the operations that issue temporary credentials, on the S3 port. */
@NullMarked
package io.millrace.gateway.s3.sts;

import org.jspecify.annotations.NullMarked;
