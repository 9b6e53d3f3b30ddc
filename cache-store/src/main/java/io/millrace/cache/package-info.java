/** The block cache: object metadata and blocks of objects on local disks. Knows neither S3 nor HTTP. */
@NullMarked
package io.millrace.cache;

import org.jspecify.annotations.NullMarked;
