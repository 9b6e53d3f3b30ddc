/** The block index: a table in direct memory from fingerprints to places on disks. */
@NullMarked
package io.millrace.cache.index;

import org.jspecify.annotations.NullMarked;
