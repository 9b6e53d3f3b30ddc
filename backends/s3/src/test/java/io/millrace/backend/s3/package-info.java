/** Tests of the S3 backend: the contract over real servers, and a server of our own for what no real one does. */
@NullMarked
package io.millrace.backend.s3;

import org.jspecify.annotations.NullMarked;
