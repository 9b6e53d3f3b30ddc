/** Tests of Shared Key signatures. */
@NullMarked
package io.millrace.backend.azure.credentials;

import org.jspecify.annotations.NullMarked;
