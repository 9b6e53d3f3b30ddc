/** What is cached now, summed up by object, folder and prefix. */
@NullMarked
package io.millrace.gateway.objects.residency;

import org.jspecify.annotations.NullMarked;
