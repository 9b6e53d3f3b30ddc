/** Lists of keys out of folders, in S3's order. */
@NullMarked
package io.millrace.backend.file.list;

import org.jspecify.annotations.NullMarked;
