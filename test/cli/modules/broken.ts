throw new Error('the kettle\nis empty');
