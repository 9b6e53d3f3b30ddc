/** The Hugging Face Hub as a backend: files of repositories at a commit or branch, read-only. */
@NullMarked
package io.millrace.backend.hub;

import org.jspecify.annotations.NullMarked;
