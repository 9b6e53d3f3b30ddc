/** Blocks of objects on local disks. Knows no S3 and no HTTP; today it holds the settings of the operator's file. */
@NullMarked
package io.millrace.cache;

import org.jspecify.annotations.NullMarked;
