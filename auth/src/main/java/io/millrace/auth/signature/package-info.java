/** Verification and creation of S3 signatures, version 2 and 4, in headers, URLs and forms. */
@NullMarked
package io.millrace.auth.signature;

import org.jspecify.annotations.NullMarked;
