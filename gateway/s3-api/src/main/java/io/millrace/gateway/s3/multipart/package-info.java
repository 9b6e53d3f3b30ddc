/** Uploads in parts: begun, filled, looked at, ended. The backend keeps them; nothing of them is kept here. */
@NullMarked
package io.millrace.gateway.s3.multipart;

import org.jspecify.annotations.NullMarked;
