/** Uploads by a browser's form: fields, policy document, file. */
@NullMarked
package io.millrace.gateway.s3.post;

import org.jspecify.annotations.NullMarked;
