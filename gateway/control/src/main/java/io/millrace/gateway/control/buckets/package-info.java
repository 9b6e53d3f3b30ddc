/** Buckets in the control API: residency, explanations, invalidations. */
@NullMarked
package io.millrace.gateway.control.buckets;

import org.jspecify.annotations.NullMarked;
