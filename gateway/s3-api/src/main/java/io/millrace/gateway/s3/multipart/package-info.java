/** Multipart uploads. The backend stores them; the gateway keeps no state of them. */
@NullMarked
package io.millrace.gateway.s3.multipart;

import org.jspecify.annotations.NullMarked;
