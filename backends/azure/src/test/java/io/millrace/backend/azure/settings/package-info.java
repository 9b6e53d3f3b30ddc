/** Tests of the settings and of connection strings. */
@NullMarked
package io.millrace.backend.azure.settings;

import org.jspecify.annotations.NullMarked;
