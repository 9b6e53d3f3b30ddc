/** Sends signed requests to an S3 server, with deadlines. */
@NullMarked
package io.millrace.backend.s3.client;

import org.jspecify.annotations.NullMarked;
