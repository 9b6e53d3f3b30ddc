/** Derived buckets: the members of archives as objects, served from the cached bytes of the archives. */
@NullMarked
package io.millrace.gateway.objects.derived;

import org.jspecify.annotations.NullMarked;
