/** Uploads by a browser's form: its fields, its policy, its file. */
@NullMarked
package io.millrace.gateway.s3.post;

import org.jspecify.annotations.NullMarked;
