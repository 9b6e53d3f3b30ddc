/** Verification of everything on the disks, whether or not anybody reads it. */
@NullMarked
package io.millrace.cache.scrub;

import org.jspecify.annotations.NullMarked;
