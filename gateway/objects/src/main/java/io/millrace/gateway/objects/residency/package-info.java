/** Residency reports: cached bytes by object, folder and prefix. */
@NullMarked
package io.millrace.gateway.objects.residency;

import org.jspecify.annotations.NullMarked;
