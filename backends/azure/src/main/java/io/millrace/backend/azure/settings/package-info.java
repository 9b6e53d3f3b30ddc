/** The settings of Azure backends, and the account that follows from them. */
@NullMarked
package io.millrace.backend.azure.settings;

import org.jspecify.annotations.NullMarked;
