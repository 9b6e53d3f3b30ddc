/** Tests of the S3 backend: the contract against real servers, and a scripted server for what no real one does. */
@NullMarked
package io.millrace.backend.s3;

import org.jspecify.annotations.NullMarked;
